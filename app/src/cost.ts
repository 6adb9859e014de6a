import { formatMoney } from "./format.ts";
import { t } from "./texts.ts";

/** Marked if the usage of any of its calls was estimated. */
export const formatCost = (micros: number | null | undefined, calls_estimated: number): string =>
  calls_estimated > 0 ? t("cost.estimated", { cost: formatMoney(micros) }) : formatMoney(micros);
