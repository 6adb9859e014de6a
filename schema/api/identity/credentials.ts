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
      "The university. Default: the platform for a platform_admin, for others the only university " +
      "that they administer. Required if they administer several",
  }),
});

export const CloudCredentialsCreate = z
  .object({
    cloud_access_key_id: keyPart(128).meta({ example: "AKIAIOSFODNN7EXAMPLE" }),
    cloud_secret_access_key: keyPart(1024).meta({ format: "password", writeOnly: true }),
    cloud_session_token: keyPart(16_384)
      .nullish()
      .meta({ format: "password", writeOnly: true, description: "Only for temporary keys" }),
  })
  .meta({ id: "CloudCredentialsCreate" });

/** Status of the LLM's keys, without the keys. */
export const CloudCredentialsStatus = z
  .object({
    configured: z.boolean().meta({ description: "Whether credentials are stored or in the environment" }),
    source: z.enum(credentialSources).meta({
      description: "Source in use: `stored`, else `environment`, else the platform's `default_chain`",
    }),
    university_id: Id.nullable().meta({
      description: "The university that stored the credentials; null for those of the platform",
    }),
    access_key_id_last4: z.string().nullable().meta({
      example: "MPLE",
      description: "Last four characters; null for a university that uses the platform's credentials",
    }),
    updated_at: Instant.nullable().meta({ description: "When stored credentials were last updated" }),
    updated_by: Id.nullable().meta({ description: "The person who stored the credentials" }),
  })
  .meta({ id: "CloudCredentialsStatus" });

export const CloudConnectionTest = z
  .object({
    success: z.boolean(),
    provider: z.string().meta({ example: "cloud_managed" }),
    model: z.string(),
    latency_ms: z
      .int()
      .min(0)
      .meta({ description: "Milliseconds until the model's answer ended or the call failed" }),
    error: z.string().optional().meta({ description: "Error code of the provider; absent on success" }),
  })
  .meta({ id: "CloudConnectionTest" });

export type CloudCredentialsCreate = z.output<typeof CloudCredentialsCreate>;
export type CloudCredentialsStatus = z.input<typeof CloudCredentialsStatus>;
export type CloudConnectionTest = z.input<typeof CloudConnectionTest>;
