import type { Schemas } from "learning-platform-client";
import { t } from "../texts.ts";

/** How many are in a group, and of how many. */
export const seats = ({ member_count, capacity }: Schemas["Group"]): string =>
  capacity === null
    ? t("groups.members.count", { n: member_count })
    : t("groups.seats", { n: member_count, of: capacity });
