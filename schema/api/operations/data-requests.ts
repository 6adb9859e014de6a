import * as z from "zod";
import { dataRequestKinds, dataRequestStates } from "../../enums.ts";
import { ExternalId } from "../identity/members.ts";
import { namesOnePerson, personFields } from "../identity/named-person.ts";
import { CalendarDate, Id, Instant, JsonObject, title, upperEnum } from "../platform/fields.ts";
import { listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";

const Kind = upperEnum(dataRequestKinds).meta({
  example: "EXPORT",
  description:
    "`EXPORT`: the university's data on the person. `RECTIFY`: their names and id in the university. " +
    "`ERASE`: the university's data on the person",
});

const State = upperEnum(dataRequestStates).meta({
  example: "OPEN",
  description: "`APPROVED` is an erasure in progress; other approved requests are `DONE` immediately",
});

const Name = title(255).nullable();
const words = {
  external_id: "Newest id in the university's own system; null removes all",
  given_name: "Corrected given name in the university",
  family_name: "Corrected family name in the university",
};

const Correction = z
  .object({
    external_id: ExternalId.nullable().meta({ description: words.external_id }),
    given_name: Name.meta({ description: words.given_name }),
    family_name: Name.meta({ description: words.family_name }),
  })
  .partial()
  .refine((value) => Object.keys(value).length > 0, "Input should name at least one correction")
  .meta({ description: "Values to correct; only for corrections" });

export const DataRequestCreate = z
  .object({
    ...personFields,
    kind: Kind,
    received_on: CalendarDate.optional().meta({
      description: "Day of the person's request in the university's time zone; default: today",
    }),
    correction: Correction.optional(),
  })
  .check((payload) => {
    namesOnePerson(payload);
    const { value, issues } = payload;
    if ((value.kind === "RECTIFY") !== (value.correction !== undefined))
      issues.push({
        code: "custom",
        path: ["correction"],
        message: value.correction ? "Input should not come with that kind" : "Field required",
        input: value.correction,
      });
  })
  .meta({ id: "DataRequestCreate", example: { user_id: 4, kind: "EXPORT" } });

export const DataRequestDecision = z
  .object({
    approve: z.boolean().meta({ description: "True carries out the request, false rejects it" }),
    reason: title(2000)
      .optional()
      .meta({ description: "Reason of the rejection, visible to holders of the office" }),
  })
  .check(({ value, issues }) => {
    if (!value.approve && value.reason === undefined)
      issues.push({ code: "custom", path: ["reason"], message: "Field required", input: value.reason });
    if (value.approve && value.reason !== undefined)
      issues.push({
        code: "custom",
        path: ["reason"],
        message: "Input should not come with an approval",
        input: value.reason,
      });
  })
  .meta({ id: "DataRequestDecision", example: { approve: true } });

export const DataRequest = z
  .object({
    id: Id,
    university_id: Id,
    user_id: Id,
    full_name: z.string().nullable().meta({
      description: "The university's name for the person; null if the person no longer belongs to it",
    }),
    email: z
      .string()
      .nullable()
      .meta({ description: "Null if the person no longer belongs to the university" }),
    kind: Kind,
    state: State,
    received_on: CalendarDate.meta({
      description: "Day of the person's request in the university's time zone",
    }),
    due_on: CalendarDate.meta({
      description: "One month after receipt: the deadline for the answer",
    }),
    correction: z
      .object({
        external_id: z.string().nullable().optional().meta({ description: words.external_id }),
        given_name: z.string().nullable().optional().meta({ description: words.given_name }),
        family_name: z.string().nullable().optional().meta({ description: words.family_name }),
      })
      .nullable()
      .meta({ description: "Values to correct; null for other kinds, and after the decision" }),
    made_by_user_id: Id.nullable().meta({ description: "Null if the account was erased" }),
    made_by_name: z.string().nullable().meta({ description: "Name of the person who recorded the request" }),
    made_at: Instant.meta({ description: "When the request was recorded" }),
    decided_by_user_id: Id.nullable().meta({
      description: "Null until the decision, and if the account was erased",
    }),
    decided_by_name: z.string().nullable().meta({ description: "Name of the person who decided" }),
    decided_at: Instant.nullable().meta({ description: "When the request was approved or rejected" }),
    reason: z.string().nullable().meta({ description: "Reason of the rejection" }),
    done_at: Instant.nullable().meta({ description: "When the request was carried out" }),
    available_until: Instant.nullable().meta({ description: "When the download of an export expires" }),
  })
  .meta({ id: "DataRequest" });

export const DataRequestQuery = listQuery({
  q: searchIn("the name or the email address, or a whole external id"),
  state: State.optional(),
  sort: sortedBy(["id", "received_on", "full_name"], "-id"),
});

/** The person's rows at the university by table name. */
export const UniversityExport = z
  .object({ exported_at: Instant })
  .catchall(z.array(JsonObject))
  .meta({
    id: "UniversityExport",
    example: { exported_at: "2026-09-01T08:00:00.000Z", enrollments: [{ id: 1 }] },
  });

export type Correction = z.output<typeof Correction>;
export type DataRequestCreate = z.output<typeof DataRequestCreate>;
export type DataRequestDecision = z.output<typeof DataRequestDecision>;
export type DataRequest = z.input<typeof DataRequest>;
export type DataRequestQuery = z.output<typeof DataRequestQuery>;
