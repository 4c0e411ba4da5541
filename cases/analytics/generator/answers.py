"""The right answers: accumulated while the data are written, in whole hundredths of a cent, seconds and counts."""
import array
import collections
import json

from . import shop

YEAR = 2024
FORTNIGHT = 14 * 86400


class Truth:
    def __init__(self, world):
        self.world = world
        self.lines = self.lines_without_customer = 0
        self.revenue_of = collections.Counter()  # sku, 2024, before returns
        self.sold_in = collections.Counter()  # category, units of 2024
        self.returned_in = collections.Counter()  # category, units of those, whenever they came back
        self.gross_of = collections.Counter()  # region, 2024
        self.back_of = collections.Counter()  # region: what was returned of 2024's sales
        self.back_then = collections.Counter()  # region: what was returned in 2024; another reading of question 4
        self.spring_orders = array.array("q")
        self.early_and_back = 0
        self.hours_to_close = array.array("q")  # seconds
        self.refund_tickets = 0
        self.target_of = {}  # region: cents of 2024
        self.sold = set()  # skus sold in 2024

    def sale(self, store, customer, product, units, value, moment):
        """One order line, counted once however often it is written. `value` in hundredths of a cent."""
        if moment.year != YEAR:
            return
        self.lines += 1
        self.lines_without_customer += customer is None
        self.revenue_of[product.sku] += value
        self.gross_of[store.region] += value
        self.sold.add(product.sku)
        if product.catalogued and product.category:
            self.sold_in[product.category] += units

    def order(self, moment, value):
        if moment.year == YEAR and 4 <= moment.month <= 6:
            self.spring_orders.append(value)

    def returned(self, store, product, units, value, moment, local_hour, seconds_later, back):
        """`units` of a line sold at `moment` came back, worth `value`."""
        if back.year == YEAR:
            self.back_then[store.region] += value
        if moment.year != YEAR:
            return
        self.back_of[store.region] += value
        if product.catalogued and product.category:
            self.returned_in[product.category] += units
        if moment.month >= 10 and local_hour < 12 and seconds_later <= FORTNIGHT:
            self.early_and_back += 1

    def ticket(self, opened, seconds_open, tier, has_email, asks_refund):
        if opened.year != YEAR:
            return
        if tier == "gold" and seconds_open is not None:
            self.hours_to_close.append(seconds_open)
        self.refund_tickets += asks_refund and not has_email

    # ---- answers ----

    def best_sellers(self):
        ranking = self.revenue_of.most_common(6)
        for (sku, more), (_, less) in zip(ranking, ranking[1:]):
            if more - less <= more * 1e-6:
                raise SystemExit(f"seed {self.world.seed}: {sku} and the next one sell the same; choose another seed")
        return [{"sku": sku, "revenue": value / 10000} for sku, value in ranking[:5]]

    def worst_category(self):
        rates = {name: 100 * self.returned_in[name] / self.sold_in[name] for name in self.sold_in}
        name = max(rates, key=rates.get)
        return {"category": name, "percent": rates[name]}

    def best_region(self):
        net = {region: self.gross_of[region] - self.back_of[region] for region in self.gross_of}
        best, second = sorted(net.values(), reverse=True)[:2]
        region = max(net, key=net.get)
        other_reading = max(net, key=lambda name: self.gross_of[name] - self.back_then[name])
        if best - second < best * 0.01 or other_reading != region:
            raise SystemExit(f"seed {self.world.seed}: two regions are too close; choose another seed")
        return {"region": region}, {"net": net[region] / 10000}

    def unsold_oak(self):
        return sorted(product.sku for product in self.world.products
                      if product.catalogued and product.oak and product.sku not in self.sold)

    def target_reached(self):
        return [{"region": name, "percent": self.gross_of[name] / self.target_of[name]}
                for name, *_ in shop.REGIONS]


def percentile(values, share):
    """By linear interpolation between the two nearest."""
    ranked = sorted(values)
    place = share * (len(ranked) - 1)
    below = int(place)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (ranked[above] - ranked[below]) * (place - below)


def questions(truth):
    region, net = truth.best_region()
    return [
        {"id": "q01", "language": "en",
         "text": "The sales files overlap: the same line of an order may have been exported twice. How many different "
                 'order lines were sold in 2024, and how many of them have no customer? Answer {"lines": ..., '
                 '"without_customer": ...}.',
         "answer": {"lines": truth.lines, "without_customer": truth.lines_without_customer}, "tolerance": 0},
        {"id": "q02", "language": "es",
         "text": "¿Cuáles son los cinco productos con más ingresos en 2024, antes de devoluciones? Cada línea se valora "
                 "al precio vigente el día de la venta, menos su descuento en porcentaje. Responde una lista de mayor "
                 'a menor: [{"sku": ..., "revenue": ...}].',
         "answer": truth.best_sellers(), "tolerance": 1e-6, "ordered": True},
        {"id": "q03", "language": "en",
         "text": "Of all units sold in 2024, which category had the highest share of them returned, whenever that was? "
                 "Leave out products that have no category or are not in the catalogue. Answer "
                 '{"category": ..., "percent": ...}.',
         "answer": truth.worst_category(), "tolerance": 1e-3},
        {"id": "q04", "language": "en",
         "text": "Which region had the highest net revenue in 2024, returns taken off?",
         "answer": region, "also": net, "tolerance": 1e-6},
        {"id": "q05", "language": "es",
         "text": "¿Cuántas horas, en mediana, tardaron en cerrarse las incidencias abiertas en 2024 por clientes que hoy "
                 "son gold? De un cliente vale su registro más reciente; de una incidencia repetida, su última línea. "
                 "Las que siguen abiertas no cuentan. Responde un número.",
         "answer": percentile(truth.hours_to_close, 0.5) / 3600, "tolerance": 1e-3},
        {"id": "q06", "language": "en",
         "text": "What was the 90th percentile of the value of an order from April to June 2024, by linear "
                 "interpolation? An order's value is the sum of its lines: units at the price that was valid on the day "
                 "of the sale, less the line's discount in percent, returns ignored. Answer one number.",
         "answer": percentile(truth.spring_orders, 0.9) / 10000, "tolerance": 1e-4},
        {"id": "q07", "language": "es",
         "text": "De las líneas de pedido vendidas de octubre a diciembre de 2024 antes de las 12:00, hora local de la "
                 "tienda, ¿cuántas tuvieron una devolución en los 14 días siguientes (14 × 24 horas)? Responde un "
                 "número.",
         "answer": truth.early_and_back, "tolerance": 0},
        {"id": "q08", "language": "en",
         "text": "How many different tickets opened in 2024 have a message written by the customer (not by an agent) that "
                 'contains "refund" or "reembolso", in upper or lower case, where the customer\'s most recent record '
                 "has no e-mail address (empty, or without @)? A repeated ticket counts as its last line says. Answer "
                 "one number.",
         "answer": truth.refund_tickets, "tolerance": 0},
        {"id": "q09", "language": "es",
         "text": "¿Qué porcentaje de su objetivo de 2024 alcanzó cada región? Ingresos antes de devoluciones entre la "
                 "suma de sus objetivos trimestrales; un trimestre sin objetivo cuenta como 0. Responde una lista: "
                 '[{"region": ..., "percent": ...}].',
         "answer": truth.target_reached(), "tolerance": 1e-4},
        {"id": "q10", "language": "en",
         "text": 'Which products of the catalogue whose description mentions "roble", in upper or lower case, were not '
                 "sold at all in 2024? Answer a list of their SKUs.",
         "answer": truth.unsold_oak(), "tolerance": 0},
    ]


def write_questions(path, truth):
    path.write_text(json.dumps(questions(truth), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
