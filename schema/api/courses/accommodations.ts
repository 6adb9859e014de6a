import * as z from "zod";
import { officeRights } from "../../enums.ts";
import { namesOnePerson, personFields } from "../identity/named-person.ts";
import { CalendarDate, hundredths, Id, Instant, integer, pagination } from "../platform/fields.ts";
import { listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";

const Right = z.enum(officeRights).meta({
  example: "accommodation:write",
  description:
    "`accommodation:write` grants extra time, `retention:write` sets retention periods, " +
    "`data-request:write` handles data requests",
});

export const OfficeGrant = z
  .object({ ...personFields, right: Right })
  .check(namesOnePerson)
  .meta({ id: "OfficeGrant", example: { user_id: 4, right: "accommodation:write" } });

export const Office = z
  .object({
    id: Id,
    university_id: Id,
    user_id: Id,
    full_name: z.string(),
    email: z.string(),
    right: Right,
    granted_at: Instant.meta({ description: "When the office was granted" }),
  })
  .meta({ id: "Office" });

export const MyOffice = z
  .object({
    university_id: Id,
    university_name: z.string().meta({ description: "The university's name" }),
    right: Right,
  })
  .meta({ id: "MyOffice" });

const numbers = {
  time_factor: hundredths(1, 3).meta({
    description: "Factor by which time limits are multiplied",
    example: 1.5,
  }),
  extra_days: integer(0, 365).meta({
    description: "Number of days by which due dates are later",
    example: 7,
  }),
  valid_until: CalendarDate.nullable().meta({
    description: "Last day of validity in the university's time zone; null for no end",
  }),
};

export const AccommodationGrant = z
  .object({ ...personFields, ...z.object(numbers).partial().shape })
  .check(namesOnePerson)
  .meta({ id: "AccommodationGrant", example: { user_id: 4, time_factor: 1.5, extra_days: 7 } });

/** A person's extra time in numbers, without a reason. */
export const Accommodation = z
  .object({ user_id: Id, full_name: z.string(), email: z.string(), ...numbers, updated_at: Instant })
  .meta({ id: "Accommodation" });

export const AccommodationQuery = listQuery({
  q: searchIn("the name or the email address, or a whole external id"),
  sort: sortedBy(["id", "full_name"]),
});

/** A page of an offering's accommodations, or of office holders. */
export const FewQuery = z.object(pagination);

export type MyOffice = z.input<typeof MyOffice>;
export type OfficeGrant = z.output<typeof OfficeGrant>;
export type Office = z.input<typeof Office>;
export type AccommodationGrant = z.output<typeof AccommodationGrant>;
export type Accommodation = z.input<typeof Accommodation>;
export type AccommodationQuery = z.output<typeof AccommodationQuery>;
