import * as z from "zod";
import { Description, Id, Instant, title } from "../platform/fields.ts";
import { listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";

const writableFields = {
  code: title(64).meta({ description: "Unique", example: "ENG" }),
  name: title(255).meta({ example: "Engineering" }),
  description: Description.nullable(),
};

export const DomainCreate = z
  .object(writableFields)
  .partial({ description: true })
  .meta({ id: "DomainCreate" });

export const DomainUpdate = z.object(writableFields).partial().meta({ id: "DomainUpdate" });

export const Domain = z
  .object({
    id: Id,
    code: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Domain" });

export const DomainQuery = listQuery({
  q: searchIn("the name or the code"),
  sort: sortedBy(["id", "name", "code"]),
});

export type DomainCreate = z.output<typeof DomainCreate>;
export type DomainUpdate = z.output<typeof DomainUpdate>;
export type Domain = z.input<typeof Domain>;
