import * as z from "zod";
import { credentialSources } from "../../enums.ts";
import { Id, IdText, Instant } from "../platform/fields.ts";

/** A part of a key: pasted values may have spaces around them, but keys contain none. */
const keyPart = (max: number) =>
  z
    .string()
    .trim()
    .min(1, "String should not be blank")
    .max(max)
    .regex(/^[\x21-\x7e]*$/, "Only printable ASCII without spaces");

export const CloudCredentialsQuery = z.object({
  university_id: IdText.optional().meta({
    description:
      "Whose credentials; absent: a platform_admin's are the platform's, anyone else's those of the university that they administer, which must be named when there are several",
  }),
});

export const CloudCredentialsCreate = z
  .object({
    cloud_access_key_id: keyPart(128).meta({ example: "AKIAIOSFODNN7EXAMPLE" }),
    cloud_secret_access_key: keyPart(1024).meta({ format: "password", writeOnly: true }),
    cloud_session_token: keyPart(16_384)
      .nullish()
      .meta({ format: "password", writeOnly: true, description: "Only of temporary keys" }),
  })
  .meta({ id: "CloudCredentialsCreate" });

/** Status of the LLM's keys, without the keys. */
export const CloudCredentialsStatus = z
  .object({
    configured: z.boolean().meta({ description: "Whether there are keys, stored or in the environment" }),
    source: z.enum(credentialSources).meta({
      description: "The first that there is: `stored`, `environment`, else the platform's `default_chain`",
    }),
    university_id: Id.nullable().meta({
      description: "The university whose stored keys they are; null when they are the platform's",
    }),
    access_key_id_last4: z
      .string()
      .nullable()
      .meta({ example: "MPLE", description: "Null for a university that uses the platform's" }),
    updated_at: Instant.nullable().meta({ description: "Of stored keys" }),
    updated_by: Id.nullable().meta({ description: "Who stored them" }),
  })
  .meta({ id: "CloudCredentialsStatus" });

export const CloudConnectionTest = z
  .object({
    success: z.boolean(),
    provider: z.string().meta({ example: "cloud_managed" }),
    model: z.string(),
    latency_ms: z.int().min(0).meta({ description: "Until the model's answer had ended, or the failure" }),
    error: z.string().optional().meta({ description: "Why it failed, in codes of the provider" }),
  })
  .meta({ id: "CloudConnectionTest" });

export type CloudCredentialsCreate = z.output<typeof CloudCredentialsCreate>;
export type CloudCredentialsStatus = z.input<typeof CloudCredentialsStatus>;
export type CloudConnectionTest = z.input<typeof CloudConnectionTest>;
