"""Customers, with several records for some, and their tickets, nested and repeated."""
import collections
import csv
import datetime
import json

from . import sales, shop

CUSTOMERS = 2400  # per scale
TICKETS = 1300  # per scale
TIERS = ["basic", "silver", "gold"]
NAMES = ["Lucía", "Iñigo", "Begoña", "Mateo", "Zoë", "José", "Ana", "Núria", "Pau", "Irene", "Óscar", "Marta"]
SURNAMES = ["García", "Peña", "Ibáñez", "López", "Muñoz", "Sánchez", "O'Neill", "Vidal", "Ferreira", "Santos"]
STREETS = ["Calle Mayor", "Avenida del Mar", "Plaza de España", "Rua da Sé", "Camino Real"]

ASKS_REFUND = ["I want a REFUND, please.", "Quiero el reembolso ya.", "When do I get my refund?",
               "¿Y mi Reembolso?\nLlevo dos semanas esperando.", "No me sirve; solicito REEMBOLSO."]
OTHER = ["Llegó con un golpe.", "Where is my order?", "¿Hacéis envíos a Canarias?", "Falta un tornillo.",
         "The colour differs from the picture.", "Gracias, ya está."]
AGENT = ["Su reembolso está en camino.", "We cannot refund this one.", "Lo miramos y le decimos.", "Done, thank you.",
         "¿Nos envía una foto?"]


class Customers:
    """What the latest record of each says, a byte each."""

    def __init__(self, count):
        self.count = count
        self.tier = bytearray(count)
        self.has_email = bytearray(count)

    @staticmethod
    def id(number):
        return f"C{number + 1:06}"


def write_customers(data, world, scale):
    rng = world.rng("customers")
    customers = Customers(CUSTOMERS * scale)
    folder = data / "crm"
    folder.mkdir(parents=True)
    late = collections.deque()  # further records come some lines later
    with (folder / "customers.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["customer_id", "name", "email", "tier", "address", "city", "updated"])
        for number in range(customers.count):
            records = customer_records(number, customers, rng)
            writer.writerow(records[0])
            late.extend(records[1:])
            while len(late) > 40:
                writer.writerow(late.popleft())
        writer.writerows(late)
    return customers


def customer_records(number, customers, rng):
    """The records of one customer, in any order; the one with the latest date is remembered."""
    name = f"{rng.choice(NAMES)} {rng.choice(SURNAMES)}"
    records, latest = [], None
    dates = rng.sample(range(1500), 1 if rng.random() < 0.85 else rng.randrange(2, 4))
    for days in dates:
        updated = datetime.date(2021, 1, 1) + shop.DAY * days
        tier = rng.choices(range(3), cum_weights=(60, 85, 100))[0]
        chance = rng.random()
        email = f"{'abcdefgh'[number % 8]}{number}@example.com" if chance < 0.75 else ("" if chance < 0.9 else "n/a")
        address = f"{rng.choice(STREETS)}, {rng.randrange(1, 200)}"
        if rng.random() < 0.2:
            address += f"\nPiso {rng.randrange(1, 9)}º"
        city = rng.choice(rng.choice(shop.REGIONS)[3]) if rng.random() < 0.95 else ""
        records.append([Customers.id(number), name, email, TIERS[tier], address, city, updated.strftime("%d/%m/%Y")])
        if latest is None or updated > latest:
            latest = updated
            customers.tier[number] = tier
            customers.has_email[number] = "@" in email
    return records


def write_tickets(data, world, truth, customers, scale):
    rng = world.rng("tickets")
    folder = data / "support"
    folder.mkdir(parents=True)
    late = collections.deque()
    days = (shop.LAST_DAY - shop.FIRST_DAY).days
    count = TICKETS * scale
    with (folder / "tickets.jsonl").open("w", encoding="utf-8", newline="\n") as file:
        for number in range(count):
            day = shop.FIRST_DAY + shop.DAY * (days * number // count)
            lines = ticket_lines(number, day, truth, customers, rng)
            file.write(lines[0])
            late.extend(lines[1:])
            while len(late) > 20:
                file.write(late.popleft())
        file.writelines(late)


def ticket_lines(number, day, truth, customers, rng):
    """One ticket: as it was when it was exported first, for some, and as it is."""
    customer = rng.randrange(customers.count)
    winter_hours = rng.choice([0, 1])
    opened = datetime.datetime.combine(day, datetime.time(7), shop.UTC) + datetime.timedelta(seconds=rng.randrange(43200))
    seconds = None if rng.random() < 0.12 else int(1800 + 259200 * rng.random() ** 3)
    asks_refund = rng.random() < 0.3
    messages = [{"from": "customer", "text": rng.choice(OTHER)}]
    for _ in range(rng.randrange(3)):
        messages.append({"from": "agent", "text": rng.choice(AGENT)})
        messages.append({"from": "customer", "text": rng.choice(OTHER)})
    if asks_refund:
        messages[rng.randrange(len(messages) // 2 + 1) * 2] = {"from": "customer", "text": rng.choice(ASKS_REFUND)}
    ticket = {
        "id": f"T{number + 1:06}",
        "customer": {"id": Customers.id(customer), "contact": {"channel": rng.choice(["email", "phone", "chat"])}},
        "opened": sales.moment_text(opened, winter_hours, rng),
        "closed": None,
        "tags": rng.sample(["envío", "calidad", "pago", "otros"], rng.randrange(3)),
        "messages": messages,
    }
    closed = None if seconds is None else opened + datetime.timedelta(seconds=seconds)
    truth.ticket(opened, seconds, TIERS[customers.tier[customer]], bool(customers.has_email[customer]), asks_refund)
    final = dict(ticket, closed=closed and sales.moment_text(closed, winter_hours, rng))
    repeated = rng.random() < 0.1
    first = [dict(ticket, messages=messages[:1])] if repeated else []
    return [json.dumps(line, ensure_ascii=False) + "\n" for line in first + [final]]
