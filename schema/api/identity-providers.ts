import * as z from "zod";
import { Id, Instant, list, title, webAddress } from "./fields.ts";
import { Domain } from "./university-domains.ts";

const Name = z
  .string()
  .regex(/^[a-z0-9-]{1,32}$/, "Input should be lowercase letters, digits and hyphens, 32 at most")
  .meta({ description: "Stands behind the university in the address of a sign-in", example: "campus" });
const Label = title(255).meta({ description: "What the button of a page says", example: "Campus account" });
const Issuer = webAddress(512)
  .refine(
    (address) => URL.canParse(address) && !new URL(address).username,
    "Input should be an issuer's address",
  )
  .meta({ description: "Its address, https outside development", example: "https://id.example.edu" });
const ClientId = title(255).meta({
  description: "As which this service is known there",
  example: "learning",
});
const ClientSecret = title(1000).meta({
  description: "Kept encrypted, and never answered",
  format: "password",
  example: "a secret of the provider",
});

export const UniversityProviderCreate = z
  .object({ name: Name, label: Label, issuer: Issuer, client_id: ClientId, client_secret: ClientSecret })
  .meta({ id: "UniversityProviderCreate" });

export const UniversityProviderUpdate = z
  .object({ label: Label, issuer: Issuer, client_id: ClientId, client_secret: ClientSecret })
  .partial()
  .meta({ id: "UniversityProviderUpdate" });

export const EmailDomains = z
  .object({
    email_domains: list(Domain, { max: 50 }).meta({
      description:
        "The domains of the university, all of them, for whose addresses its providers vouch; subdomains are domains of their own",
    }),
  })
  .meta({ id: "EmailDomains", example: { email_domains: ["example.edu"] } });

export const UniversityProvider = z
  .object({
    id: Id,
    university_id: Id,
    name: Name,
    login_name: z.string().meta({
      description: "Its name at `/auth/oidc/{provider}/login`, and in the redirect URI to register there",
      example: "1.campus",
    }),
    label: Label,
    issuer: Issuer,
    client_id: ClientId,
    email_domains: z.array(z.string()).meta({
      description:
        "The university's domains, for whose addresses it vouches. Until the platform has granted one it signs nobody in, " +
        "and with another issuer none until the platform grants them anew",
      example: ["example.edu"],
    }),
    created_at: Instant.meta({ description: "When it was added" }),
    updated_at: Instant.meta({ description: "When it was changed last" }),
  })
  .meta({ id: "UniversityProvider" });

export type UniversityProviderCreate = z.output<typeof UniversityProviderCreate>;
export type UniversityProviderUpdate = z.output<typeof UniversityProviderUpdate>;
export type UniversityProvider = z.input<typeof UniversityProvider>;
