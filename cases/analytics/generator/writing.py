"""The smaller tables: catalogue (Latin-1), prices, stores, targets; each in its own dialect of CSV."""
import csv

from . import shop


def spanish(number, decimals):
    """1234567.8 as 1.234.567,80"""
    return f"{number:,.{decimals}f}".translate(str.maketrans(",.", ".,"))


def rows(path, header, records, **dialect):
    encoding = dialect.pop("encoding", "utf-8")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.writer(file, **dialect)
        writer.writerow(header)
        writer.writerows(records)


def description(product, rng):
    if not product.oak and rng.random() < 0.15:
        return ""
    wood = rng.choice(["roble", "Roble", "ROBLE"]) if product.oak else rng.choice(shop.MATERIALS)
    return rng.choice([
        f"Fabricada a mano; acabado en\n{wood} natural",
        f"Pieza de {wood} macizo, 100 % reciclada",
        f'Modelo "señorial" de {wood}.\nMedidas: véase la etiqueta',
        f"{wood}: diseño español, montaje fácil",
    ])


def write_catalog(data, world):
    rng = world.rng("catalog")
    catalogued = [product for product in world.products if product.catalogued]
    rows(data / "catalog" / "products.csv", ["sku", "nombre", "categoria", "descripcion", "peso_kg"],
         [[product.sku, product.name, product.category or "", description(product, rng),
           "" if product.weight_grams is None else spanish(product.weight_grams / 1000, 2)] for product in catalogued],
         encoding="latin-1", delimiter=";", lineterminator="\r\n")
    prices = [[product.sku, day.isoformat(), spanish(cents / 100, 2)]
              for product in world.products for day, cents in product.prices]
    prices += rng.sample(prices, len(prices) // 25)  # some were entered twice
    rng.shuffle(prices)
    rows(data / "catalog" / "prices.csv", ["sku", "valid_from", "price_eur"], prices, delimiter=";",
         lineterminator="\n")


def write_stores(data, world):
    rng = world.rng("stores")
    styles = [str, str, str.upper, str.lower, lambda name: f"{name} ", lambda name: f" {name}"]
    rows(data / "stores" / "stores.csv", ["store_id", "name", "city", "region", "timezone", "opened"],
         [[store.id, f"Casa Techo, {store.city}", store.city, rng.choice(styles)(store.region), store.zone,
           f"{rng.randrange(1987, 2022)}-{rng.randrange(1, 13):02}-01"] for store in world.stores],
         encoding="utf-8-sig", lineterminator="\n")


def write_targets(data, world, truth):
    """Made after the sales, around what was really sold."""
    rng = world.rng("targets")
    records = []
    missing = rng.sample([region for region, *_ in shop.REGIONS], 2)
    for year in (2023, 2024, 2025):
        for region, *_ in shop.REGIONS:
            quarters = [truth.gross_of[region] // 400 * rng.randrange(80, 130) // 100 for _ in range(4)]
            texts = [spanish(cents / 100, 2) for cents in quarters]
            if year == 2024 and region in missing:
                gap = rng.randrange(4)
                quarters[gap] = 0
                texts[gap] = "" if region == missing[0] else "n/d"
            if year == 2024:
                truth.target_of[region] = sum(quarters)
            records += [[region, f"{year}-T{quarter}", text] for quarter, text in enumerate(texts, 1)]
    rng.shuffle(records)
    rows(data / "finance" / "targets.csv", ["region", "trimestre", "objetivo_eur"], records, delimiter=";",
         lineterminator="\n")
