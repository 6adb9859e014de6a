import { sql } from "drizzle-orm";
import type { FilterFields } from "./filter.ts";

export const commonFilters = {
  sourcedId: { kind: "text", value: sql`one.sourced_id` },
  status: { kind: "text", value: sql`case when one.is_active then 'active' else 'tobedeleted' end` },
  dateLastModified: { kind: "moment", value: sql`one.changed_at` },
} satisfies FilterFields;
