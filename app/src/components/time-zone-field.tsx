import { t } from "../texts.ts";
import { SelectField } from "./field.tsx";

/** A time zone by its IANA name: one of those that the browser knows, or the one that is set. */
export const TimeZoneField = ({ value }: { value: string }) => (
  <SelectField
    name="time_zone"
    label={t("account.time.zone")}
    of={[...new Set([value, "UTC", ...Intl.supportedValuesOf("timeZone")])].map((zone) => [zone, zone])}
    chosen={value}
  />
);
