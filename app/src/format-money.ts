import { formatted, formatterWithDashForMissing } from "./format.ts";
import { currency } from "./service.ts";
import { t } from "./texts.ts";

/** Millionths in the service's currency, with two decimals. Smaller amounts show two significant digits. */
export const formatMoney = formatterWithDashForMissing((micros) =>
  formatted({
    ...{ style: "currency", currency },
    ...{ minimumFractionDigits: 0, maximumFractionDigits: 2 },
    ...{ maximumSignificantDigits: 2, roundingPriority: "morePrecision" },
  })(micros / 1_000_000),
);

/** The label of an amount, with the currency. */
export const inCurrency = (label: string): string => `${label} (${currency})`;

/** Marked if the usage of any of its calls was estimated. */
export const formatCost = (micros: number | null | undefined, calls_estimated: number): string =>
  calls_estimated > 0 ? t("cost.estimated", { cost: formatMoney(micros) }) : formatMoney(micros);
