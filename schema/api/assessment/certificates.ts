import * as z from "zod";
import { certificateIssuances, certificateStates } from "../../enums.ts";
import { CourseLanguage } from "../courses/summaries.ts";
import { ExternalId } from "../identity/members.ts";
import { namesOnePerson, personFields } from "../identity/named-person.ts";
import {
  Id,
  IdText,
  Instant,
  integer,
  integerText,
  pagination,
  storedJsonObject,
  text,
  title,
  upperEnum,
} from "../platform/fields.ts";
import { listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";

const State = upperEnum(certificateStates).meta({
  example: "VALID",
  description: "Valid, expired, revoked, or replaced by another certificate",
});

/** The printed fields, which are all that verification returns. */
const printed = {
  printed_name: z.string().meta({ description: "The printed name", example: "Ada Lovelace" }),
  course_title: z
    .string()
    .meta({ description: "Title of the course at the time of issue", example: "Signals and systems" }),
  university_name: z
    .string()
    .meta({ description: "Name of the university at the time of issue", example: "Northgate University" }),
  completed_at: Instant.nullable(),
  issued_at: Instant.meta({ description: "When it was issued" }),
  expires_at: Instant.nullable().meta({ description: "Null for no expiry", example: null }),
  revoked_at: Instant.nullable().meta({ description: "Null if not revoked", example: null }),
};

/** A certificate for its owner and the staff of its course. */
export const Certificate = z
  .object({
    id: Id,
    user_id: Id.nullable().meta({
      description: "Null if the person erased their account and kept the certificate",
    }),
    course_offering_id: Id,
    course_id: Id,
    university_id: Id,
    language_code: CourseLanguage,
    certificate_code: z.string().meta({
      description:
        "Code for `GET /assessments/certificates/verify/{certificate_code}`; anyone with it can verify " +
        "the certificate",
      example: "3f0c9b6e1d2a4c58b7e6f5a493827160",
    }),
    state: State,
    ...printed,
    revocation_reason: z
      .string()
      .nullable()
      .meta({ description: "Visible to the owner and staff", example: null }),
    replaced_at: Instant.nullable().meta({
      description: "When it was replaced by another certificate",
      example: null,
    }),
    replaces_id: Id.nullable().meta({ description: "The certificate that it replaces", example: null }),
    metadata_json: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: "Notes of staff", example: { credits: 4 } }),
  })
  .meta({ id: "Certificate" });

export const OfferingCertificate = Certificate.extend({
  external_id: z.string().nullable().meta({
    example: "s-1815",
    description: "The person's id in the university's own system; null without one",
  }),
}).meta({ id: "OfferingCertificate" });

/** The response of the public verification by code. */
export const CertificateVerification = z
  .object({ state: State, ...printed })
  .meta({ id: "CertificateVerification" });

const given = {
  printed_name: title(255)
    .optional()
    .meta({ description: "Default: the name of the person", example: "Ada Lovelace" }),
  expires_at: Instant.nullish().meta({
    description: "Must be in the future; null for no expiry. Default: the offering's setting",
    example: "2029-09-01T08:00:00.000Z",
  }),
  metadata_json: storedJsonObject(16)
    .nullish()
    .meta({ description: "For staff and the person, at most 16 KiB of JSON", example: { credits: 4 } }),
};

export const CertificateIssue = z
  .object({ ...personFields, ...given })
  .check(namesOnePerson)
  .meta({ id: "CertificateIssue" });

export const CertificateReissue = z.object(given).meta({ id: "CertificateReissue" });

export const CertificateRevocation = z
  .object({
    reason: title(1000).meta({
      description: "For staff and the person; not shown in the verification",
      example: "The final lab was not their own work",
    }),
  })
  .meta({ id: "CertificateRevocation" });

const settings = {
  issuance: upperEnum(certificateIssuances).meta({
    example: "AUTOMATIC",
    description:
      "AUTOMATIC: everyone who completes the offering by results or by staff receives a certificate. " +
      "BY_STAFF: staff issue each one",
  }),
  valid_for_days: integer(1, 36_500).nullable().meta({
    description: "Number of days for which a certificate is valid; null for no limit",
    example: 1095,
  }),
};

export const CertificateSettings = z
  .object({ course_offering_id: Id, ...settings })
  .meta({ id: "CertificateSettings" });

export const CertificateSettingsUpdate = z
  .object(settings)
  .partial()
  .meta({ id: "CertificateSettingsUpdate" });

export const CertificateQuery = z.object(pagination);

export const OfferingCertificateQuery = listQuery({
  q: searchIn("the printed name"),
  user_id: IdText.optional(),
  external_id: ExternalId.optional().meta({ description: "Only the person with this id in the university" }),
  state: State.optional(),
  sort: sortedBy(["id", "printed_name"]),
});

export const CertificateCode = z.object({
  certificate_code: text(64).meta({
    description: "The code of a certificate",
    example: "3f0c9b6e1d2a4c58b7e6f5a493827160",
  }),
});

const example = {
  kty: "RSA",
  alg: "RS256",
  use: "sig",
  kid: "https://learn.example.edu/api/v1/assessments/certificates/keys/NzbLsXh8uDCcd",
  n: "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc",
  e: "AQAB",
};

/** A public key (RFC 7517). */
export const SigningKey = z.record(z.string(), z.unknown()).meta({ id: "SigningKey", example });

export const SigningKeys = z
  .object({ keys: z.array(SigningKey).meta({ description: "The public keys" }) })
  .meta({ id: "SigningKeys", example: { keys: [example] } });

export const SigningKeyQuery = z.object(pagination);

export const SigningKeyId = z.object({
  key_id: text(64).meta({
    description: "The thumbprint of a key",
    example: "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs",
  }),
});

export const StatusListId = z.object({
  list_id: integerText(integer(1, 16_384)).meta({ description: "The number of a list, from 1" }),
});

export type Certificate = z.input<typeof Certificate>;
export type OfferingCertificate = z.input<typeof OfferingCertificate>;
export type CertificateVerification = z.output<typeof CertificateVerification>;
export type CertificateIssue = z.output<typeof CertificateIssue>;
export type CertificateReissue = z.output<typeof CertificateReissue>;
export type CertificateRevocation = z.output<typeof CertificateRevocation>;
export type CertificateSettings = z.input<typeof CertificateSettings>;
export type CertificateSettingsUpdate = z.output<typeof CertificateSettingsUpdate>;
export type CertificateQuery = z.output<typeof CertificateQuery>;
export type OfferingCertificateQuery = z.output<typeof OfferingCertificateQuery>;
export type SigningKeyQuery = z.output<typeof SigningKeyQuery>;
