import type { Schemas } from "learning-platform-client";
import { t } from "../texts.ts";

/** Member count and capacity. */
export const seatsLabel = ({ member_count, capacity }: Schemas["Group"]): string =>
  capacity === null
    ? t("groups.members.count", { n: member_count })
    : t("groups.seats", { n: member_count, of: capacity });
