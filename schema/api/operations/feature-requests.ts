import * as z from "zod";
import { featureRequestStatuses } from "../../enums.ts";
import { Id, Instant, lowerEnum, paginationOf, text, title } from "../platform/fields.ts";

const Status = lowerEnum(featureRequestStatuses).meta({ example: "under_review" });

export const FeatureRequestCreate = z
  .object({
    title: title(255).meta({ example: "Dark mode" }),
    description: text(32_000).meta({ example: "For those who study at night." }),
  })
  .meta({ id: "FeatureRequestCreate" });

export const FeatureRequestUpdate = z
  .object({ status: Status, admin_notes: text(32_000).nullable() })
  .partial()
  .meta({ id: "FeatureRequestUpdate" });

export const FeatureRequest = z
  .object({
    id: Id,
    title: z.string(),
    description: z.string(),
    status: Status,
    admin_notes: z.string().nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "FeatureRequest" });

/** With the author; null for people that the caller may not see. */
const FeatureRequestOfUser = z
  .object({
    ...FeatureRequest.shape,
    user_email: z.string().nullable(),
    user_name: z.string().nullable(),
  })
  .meta({ id: "FeatureRequestOfUser" });

const total = z.int().min(0).meta({ description: "Total number on all pages" });

export const FeatureRequestPage = z
  .object({ data: z.array(FeatureRequest), total })
  .meta({ id: "FeatureRequestPage" });

export const FeatureRequestOfUserPage = z
  .object({ data: z.array(FeatureRequestOfUser), total })
  .meta({ id: "FeatureRequestOfUserPage" });

const pagination = paginationOf({ limit: 20, max: 100 });

export const FeatureRequestQuery = z.object(pagination);

export const AllFeatureRequestsQuery = z.object({ status: Status.optional(), ...pagination });

export type FeatureRequestCreate = z.output<typeof FeatureRequestCreate>;
export type FeatureRequestUpdate = z.output<typeof FeatureRequestUpdate>;
export type FeatureRequest = z.input<typeof FeatureRequest>;
export type FeatureRequestPage = z.input<typeof FeatureRequestPage>;
export type FeatureRequestOfUserPage = z.input<typeof FeatureRequestOfUserPage>;
export type AllFeatureRequestsQuery = z.output<typeof AllFeatureRequestsQuery>;
