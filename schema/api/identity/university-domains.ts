import * as z from "zod";
import { Id, Instant } from "../platform/fields.ts";
import { listQuery } from "../platform/search-and-sort.ts";

export const Domain = z
  .string()
  .trim()
  .toLowerCase()
  .max(255)
  .regex(
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    "Input should be a domain such as example.edu",
  )
  .meta({
    maxLength: 255,
    example: "example.edu",
    description: "The part of the address after the @. Subdomains are separate domains",
  });

export const UniversityDomainCreate = z.object({ domain: Domain }).meta({ id: "UniversityDomainCreate" });

/** A domain whose addresses belong to the university's own people. */
export const UniversityDomain = z
  .object({
    id: Id,
    university_id: Id,
    domain: z.string().meta({ description: "The part of the address after the @", example: "example.edu" }),
    created_at: Instant.meta({ description: "When the domain was granted" }),
  })
  .meta({ id: "UniversityDomain" });

export const UniversityDomainQuery = listQuery({});

export type UniversityDomain = z.input<typeof UniversityDomain>;
export type UniversityDomainQuery = z.output<typeof UniversityDomainQuery>;
