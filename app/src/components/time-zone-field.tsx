import { t } from "../texts.ts";
import { SelectField } from "./field.tsx";

/** An IANA time zone: the ones the browser knows, plus the current one. */
export const TimeZoneField = ({ value }: { value: string }) => (
  <SelectField
    name="time_zone"
    label={t("account.time.zone")}
    of={[...new Set([value, "UTC", ...Intl.supportedValuesOf("timeZone")])].map((zone) => [zone, zone])}
    chosen={value}
  />
);
