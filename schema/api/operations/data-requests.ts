import * as z from "zod";
import { dataRequestKinds, dataRequestStates } from "../../enums.ts";
import { ExternalId } from "../identity/members.ts";
import { namesOnePerson, personFields } from "../identity/named-person.ts";
import { CalendarDate, Id, Instant, JsonObject, title, upperEnum } from "../platform/fields.ts";
import { listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";

const Kind = upperEnum(dataRequestKinds).meta({
  example: "EXPORT",
  description:
    "`EXPORT`: what the university has of them; `RECTIFY`: their names and id there; `ERASE`: what the university has of them",
});

const State = upperEnum(dataRequestStates).meta({
  example: "OPEN",
  description: "`APPROVED` is an erasure that is under way; anything else that is approved is `DONE` at once",
});

const Name = title(255).nullable();
const words = {
  external_id: "The newest id by which the university's own system knows them; null takes all away",
  given_name: "As the university is to write it",
  family_name: "As the university is to write it",
};

const Correction = z
  .object({
    external_id: ExternalId.nullable().meta({ description: words.external_id }),
    given_name: Name.meta({ description: words.given_name }),
    family_name: Name.meta({ description: words.family_name }),
  })
  .partial()
  .refine((value) => Object.keys(value).length > 0, "Input should name at least one correction")
  .meta({ description: "Of a correction alone: what the university is to write of them" });

export const DataRequestCreate = z
  .object({
    ...personFields,
    kind: Kind,
    received_on: CalendarDate.optional().meta({
      description: "The day on which they asked, by the university's clock; absent: today",
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
    approve: z.boolean().meta({ description: "True has it done; false rejects it" }),
    reason: title(2000)
      .optional()
      .meta({ description: "Why it is rejected: read by whoever holds the office" }),
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
      description: "As the university has it; null for who is none of its people any more",
    }),
    email: z.string().nullable().meta({ description: "Null as the name is" }),
    kind: Kind,
    state: State,
    received_on: CalendarDate.meta({ description: "The day on which they asked, by the university's clock" }),
    due_on: CalendarDate.meta({
      description: "A month after it was received: by then the person is answered",
    }),
    correction: z
      .object({
        external_id: z.string().nullable().optional().meta({ description: words.external_id }),
        given_name: z.string().nullable().optional().meta({ description: words.given_name }),
        family_name: z.string().nullable().optional().meta({ description: words.family_name }),
      })
      .nullable()
      .meta({ description: "What is to be written, while that is to be decided" }),
    made_by_user_id: Id.nullable().meta({ description: "Null once their account is erased" }),
    made_by_name: z.string().nullable().meta({ description: "Who wrote it down" }),
    made_at: Instant.meta({ description: "When it was written down" }),
    decided_by_user_id: Id.nullable().meta({
      description: "Null until it is decided, and once their account is erased",
    }),
    decided_by_name: z.string().nullable().meta({ description: "Who approved or rejected it" }),
    decided_at: Instant.nullable().meta({ description: "When it was approved or rejected" }),
    reason: z.string().nullable().meta({ description: "Why it was rejected" }),
    done_at: Instant.nullable().meta({ description: "When what was asked was done" }),
    available_until: Instant.nullable().meta({ description: "Until when an export can be downloaded" }),
  })
  .meta({ id: "DataRequest" });

export const DataRequestQuery = listQuery({
  q: searchIn("the name or the e-mail address, or a whole external id"),
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
