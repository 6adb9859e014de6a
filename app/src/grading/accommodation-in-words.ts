import type { Schemas } from "learning-platform-client";
import { formatDay, formatToOneDecimal } from "../format.ts";
import { t } from "../texts.ts";

/** An accommodation in words, such as `1.5 times as long · 7 days later · until Jul 1, 2026`. */
export const describeAccommodation = ({
  time_factor,
  extra_days,
  valid_until,
}: Schemas["Accommodation"]): string =>
  [
    time_factor > 1 && t("more.time.times", { n: formatToOneDecimal(time_factor) }),
    extra_days > 0 && t("more.time.later", { n: extra_days }),
    valid_until && t("more.time.valid", { day: formatDay(`${valid_until}T12:00:00`) }),
  ]
    .filter(Boolean)
    .join(" · ");
