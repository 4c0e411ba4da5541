"""Sales in three Parquet parts that overlap, and returns as nested JSON lines."""
import datetime
import itertools
import json

import pyarrow
import pyarrow.parquet

from . import shop

ORDERS = 11000  # per scale
OVERLAP = datetime.timedelta(days=6)  # of sales before a part's first day are in it too
ROWS_AT_ONCE = 50000
PART_STARTS = [shop.FIRST_DAY, datetime.date(2024, 2, 1), datetime.date(2024, 9, 1)]
REASONS = [("DEFECT", "llegó rota"), ("SIZE", "no cabe"), ("CHANGED_MIND", 'ya no la quiero, "gracias"'),
           ("LATE", "llegó tarde"), (None, None)]

COLUMNS = [("order_id", pyarrow.int64()), ("line", pyarrow.int32()), ("sku", pyarrow.string()),
           ("store_id", pyarrow.string()), ("customer_id", pyarrow.string()), ("units", pyarrow.int32()),
           ("discount", pyarrow.int32()), ("sold_at", pyarrow.timestamp("us", tz="UTC"))]
LATE_COLUMNS = COLUMNS + [("channel", pyarrow.string())]  # the last part's exporter had learnt one more


class Part:
    """One Parquet file; rows are kept back until there are enough for a row group."""

    def __init__(self, path, columns):
        self.schema = pyarrow.schema(columns)
        self.writer = pyarrow.parquet.ParquetWriter(path, self.schema, compression="zstd")
        self.rows = []

    def add(self, row):
        self.rows.append(row[:len(self.schema)])
        if len(self.rows) >= ROWS_AT_ONCE:
            self.flush()

    def flush(self):
        columns = list(zip(*self.rows)) if self.rows else [[] for _ in self.schema]
        arrays = [pyarrow.array(column, field.type) for column, field in zip(columns, self.schema)]
        self.writer.write_table(pyarrow.Table.from_arrays(arrays, schema=self.schema))
        self.rows = []

    def close(self):
        self.flush()
        self.writer.close()


class Sales:
    def __init__(self, data, world, truth, customers):
        self.world, self.truth, self.customers = world, truth, customers
        self.rng = world.rng("sales")
        (data / "sales").mkdir(parents=True)
        (data / "returns").mkdir(parents=True)
        last = len(PART_STARTS) - 1
        self.parts = [Part(data / "sales" / f"part-{number}.parquet", LATE_COLUMNS if number == last else COLUMNS)
                      for number in range(last + 1)]
        self.returns = (data / "returns" / "returns.jsonl").open("w", encoding="utf-8", newline="\n")
        self.store_weights = list(itertools.accumulate(store.weight for store in world.stores))
        self.order_id = 100000
        self.return_id = 5000

    def day(self, day, count):
        """The orders of one day, in the order of their time."""
        self.on_sale = [product for product in self.world.products if product.last_sale >= day]
        self.weights = list(itertools.accumulate(product.popularity for product in self.on_sale))
        starts = datetime.datetime.combine(day, datetime.time(9))
        orders = []
        for _ in range(count):
            store = self.rng.choices(self.world.stores, cum_weights=self.store_weights)[0]
            local = starts + datetime.timedelta(seconds=int(12 * 3600 * self.rng.random() ** 1.3))
            orders.append((shop.to_utc(store.winter_hours, local), len(orders), store))
        for moment, _, store in sorted(orders, key=lambda order: order[:2]):
            self.order(day, moment, store)

    def order(self, day, moment, store):
        rng = self.rng
        self.order_id += rng.randrange(1, 4)
        customer = None if rng.random() < 0.22 else rng.randrange(self.customers.count)
        customer_id = None if customer is None else self.customers.id(customer)
        channel = rng.choice(["tienda", "app", None])
        value = 0
        for line in range(1, 1 + min(rng.randrange(1, 5), rng.randrange(1, 5))):
            product = rng.choices(self.on_sale, cum_weights=self.weights)[0]
            units = min(rng.randrange(1, 7), rng.randrange(1, 7))
            discount = None if rng.random() < 0.6 else rng.choice([0, 5, 10, 15, 20, 30])
            self.write(day, (self.order_id, line, product.sku, store.id, customer_id, units, discount, moment, channel))
            unit_value = product.price(day) * (100 - (discount or 0))
            self.truth.sale(store, customer, product, units, units * unit_value, moment)
            self.maybe_return(store, product, line, units, unit_value, moment)
            value += units * unit_value
        self.truth.order(moment, value)

    def write(self, day, row):
        for number, part in enumerate(self.parts):
            begin = PART_STARTS[number] - OVERLAP
            end = PART_STARTS[number + 1] if number + 1 < len(self.parts) else datetime.date.max
            if begin <= day < end:
                part.add(row)

    def maybe_return(self, store, product, line, units, unit_value, moment):
        rng = self.rng
        rate = 0.06 * self.world.region_returns[store.region] * self.world.category_returns.get(product.category, 1)
        if rng.random() >= rate:
            return
        back_units = rng.randrange(1, units + 1) if rng.random() < 0.5 else units
        seconds = int(7200 + 30 * 86400 * rng.random() ** 1.5)
        if abs(seconds - 14 * 86400) < 3600:
            seconds += 7200  # not on the border of a fortnight
        back = moment + datetime.timedelta(seconds=seconds)
        local_hour = (moment + datetime.timedelta(hours=shop.offset(store.winter_hours, moment))).hour
        self.truth.returned(store, product, back_units, back_units * unit_value, moment, local_hour, seconds, back)
        self.write_return(store, self.order_id, line, back_units, back)
        if rng.random() < 0.02:  # another shop's return got into the file
            self.write_return(store, 90000000 + self.order_id, line, 1, back)

    def write_return(self, store, order_id, line, units, back):
        rng = self.rng
        self.return_id += 1
        code, text = rng.choice(REASONS)
        record = {
            "return_id": f"R{self.return_id}",
            "order": {"id": str(order_id), "line": line},
            "units": units,
            "reason": {"code": code, "text": text} if code else None,
            "at": moment_text(back, store.winter_hours, rng),
        }
        text = json.dumps(record, ensure_ascii=False) + "\n"
        self.returns.write(text)
        if rng.random() < 0.05:  # sent twice
            self.returns.write(text)

    def close(self):
        for part in self.parts:
            part.close()
        self.returns.close()


def moment_text(moment, winter_hours, rng):
    """A moment as different systems write it: in UTC with Z, or local with its offset."""
    if rng.random() < 0.3:
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    hours = shop.offset(winter_hours, moment)
    return moment.astimezone(datetime.timezone(datetime.timedelta(hours=hours))).isoformat()


def write_sales(data, world, truth, customers, scale):
    sales = Sales(data, world, truth, customers)
    days = (shop.LAST_DAY - shop.FIRST_DAY).days + 1
    done = 0
    for number in range(days):
        due = ORDERS * scale * (number + 1) // days
        sales.day(shop.FIRST_DAY + shop.DAY * number, due - done)
        done = due
    sales.close()
