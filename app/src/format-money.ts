import { createNumberFormatter, formatterWithDashForMissing } from "./format.ts";
import { currencyCode } from "./service.ts";
import { t } from "./texts.ts";

/** Millionths in the service's currency, with two decimals. Smaller amounts show two significant digits. */
export const formatMoneyMicros = formatterWithDashForMissing((micros) =>
  createNumberFormatter({
    ...{ style: "currency", currency: currencyCode },
    ...{ minimumFractionDigits: 0, maximumFractionDigits: 2 },
    ...{ maximumSignificantDigits: 2, roundingPriority: "morePrecision" },
  })(micros / 1_000_000),
);

/** The label of an amount, with the currency. */
export const labelWithCurrency = (label: string): string => `${label} (${currencyCode})`;

/** Marked if the usage of any of its calls was estimated. */
export const formatCostWithEstimateMark = (
  micros: number | null | undefined,
  calls_estimated: number,
): string =>
  calls_estimated > 0 ? t("cost.estimated", { cost: formatMoneyMicros(micros) }) : formatMoneyMicros(micros);
