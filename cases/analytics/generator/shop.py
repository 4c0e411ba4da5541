"""What there is before anything is sold: regions, stores, products, prices; and the calendar with its zones."""
import datetime
import random

UTC = datetime.timezone.utc
DAY = datetime.timedelta(days=1)
FIRST_DAY = datetime.date(2023, 7, 1)
LAST_DAY = datetime.date(2025, 2, 28)

# region, time zone, hours ahead of UTC in winter, cities
REGIONS = [
    ("Islas", "Atlantic/Canary", 0, ["Las Palmas", "Arrecife", "La Laguna"]),
    ("Sur", "Europe/Madrid", 1, ["Sevilla", "Málaga", "Cádiz"]),
    ("Este", "Europe/Madrid", 1, ["Valencia", "Castellón", "Murcia"]),
    ("Oeste", "Europe/Lisbon", 0, ["Lisboa", "Évora", "Oporto"]),
    ("Centro", "Europe/Madrid", 1, ["Madrid", "Toledo", "Ávila"]),
    ("Norte", "Europe/Madrid", 1, ["Bilbao", "Oviedo", "Gijón"]),
]
CATEGORIES = ["Jardín", "Cocina", "Baño", "Dormitorio", "Iluminación", "Niños", "Oficina", "Salón"]
THINGS = ["Mesa", "Silla", "Lámpara", "Estantería", "Espejo", "Baúl", "Cojín", "Alfombra", "Reloj", "Perchero",
          "Banco", "Cesta", "Jarrón", "Biombo", "Taburete"]
STYLES = ["Añil", "Nórdica", "Clásica", "Río", "Cantábrico", "Otoño", "Sierra", "Núñez", "Duero", "Peñas"]
MATERIALS = ["pino", "haya", "acero", "algodón", "cerámica", "vidrio", "mimbre", "nogal"]

PRODUCTS = 120
UNCATALOGUED = 3  # sold, but the catalogue does not know them
UNSOLD = 14  # in the catalogue, but not sold in 2024
OAK = 0.25  # share of descriptions that mention oak


def last_sunday(year, month):
    day = datetime.date(year, month, 31)
    return day - DAY * ((day.weekday() + 1) % 7)


SUMMER = {year: tuple(datetime.datetime.combine(last_sunday(year, month), datetime.time(1), UTC) for month in (3, 10))
          for year in (2023, 2024, 2025)}


def offset(winter_hours, moment):
    """Hours ahead of UTC at a moment in UTC, by the rule of the European Union."""
    begin, end = SUMMER[moment.year]
    return winter_hours + (1 if begin <= moment < end else 0)


def to_utc(winter_hours, local):
    """A local time of day between 03:00 and 23:00, without zone, as a moment in UTC."""
    guess = (local - datetime.timedelta(hours=winter_hours)).replace(tzinfo=UTC)
    return guess - datetime.timedelta(hours=offset(winter_hours, guess) - winter_hours)


class Store:
    def __init__(self, number, region, zone, winter_hours, city, weight):
        self.id = f"S{number:02}"
        self.region, self.zone, self.winter_hours, self.city, self.weight = region, zone, winter_hours, city, weight


class Product:
    def __init__(self, sku, rng):
        self.sku = sku
        self.name = f"{rng.choice(THINGS)} {rng.choice(STYLES)}"
        self.category = None if rng.random() < 0.08 else rng.choice(CATEGORIES)
        self.weight_grams = None if rng.random() < 0.1 else rng.randrange(150, 48000, 10)
        self.oak = False
        self.catalogued = True
        self.last_sale = LAST_DAY
        self.popularity = 0.0
        self.prices = []  # (first day, cents), by day

    def price(self, day):
        """The cents that hold on a day."""
        cents = self.prices[0][1]
        for first_day, later in self.prices:
            if first_day > day:
                break
            cents = later
        return cents


class Shop:
    """Stores, products and rates of one seed. `rng(part)` gives each part of the generator its own numbers."""

    def __init__(self, seed):
        self.seed = seed
        rng = self.rng("shop")
        # The region that sells most also gets most back, so that net and gross have different winners.
        order = [region[0] for region in REGIONS]
        rng.shuffle(order)
        self.region_weight = dict(zip(order, (1.30, 1.19, 0.94, 0.84, 0.74, 0.66)))
        self.region_returns = dict(zip(order, (4.2, 0.7, 1.0, 0.9, 1.1, 1.0)))
        spread = [0.5, 0.7, 0.8, 0.9, 1.0, 1.1, 1.4, 2.0]
        rng.shuffle(spread)
        self.category_returns = dict(zip(CATEGORIES, spread))
        self.stores = self._stores(rng)
        self.products = self._products(rng)

    def rng(self, part):
        return random.Random(f"techo/{self.seed}/{part}")

    def _stores(self, rng):
        stores = []
        for region, zone, winter_hours, cities in REGIONS:
            for city, share in zip(cities, (0.4, 0.33, 0.27)):
                weight = self.region_weight[region] * share
                stores.append(Store(len(stores) + 1, region, zone, winter_hours, city, weight))
        rng.shuffle(stores)
        return stores

    def _products(self, rng):
        products = [Product(f"{letter}-{number:04}", rng)
                    for letter, number in zip((rng.choice("ABCDEFGH") for _ in range(PRODUCTS)),
                                              rng.sample(range(1000, 10000), PRODUCTS))]
        for rank, product in enumerate(products):
            product.popularity = 1 / (rank + 6)
            product.prices = self._prices(rng)
            product.oak = rng.random() < OAK
        rare = rng.sample(products[20:], UNCATALOGUED + UNSOLD)
        for product in rare[:UNCATALOGUED]:
            product.catalogued = False
        for number, product in enumerate(rare[UNCATALOGUED:]):
            product.oak = number % 2 == 0
            product.last_sale = FIRST_DAY - DAY if number % 3 == 0 else datetime.date(2023, 12, 20)
        rng.shuffle(products)
        return products

    @staticmethod
    def _prices(rng):
        cents = rng.randrange(590, 39990, 10)
        day = datetime.date(2023, 1, 1)
        prices = [(day, cents)]
        while True:
            day += DAY * rng.randrange(60, 200)
            if day > LAST_DAY:
                return prices
            cents = max(290, cents * rng.randrange(86, 122) // 100)
            prices.append((day, cents))
