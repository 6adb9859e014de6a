import * as z from "zod";
import { Id, list } from "../platform/fields.ts";

const Target = z
  .object({
    content_item_id: Id.optional().meta({ description: "The item that the link opens" }),
    module_id: Id.optional().meta({
      description: "The module that the link opens; without both, the course",
    }),
  })
  .refine(
    ({ content_item_id, module_id }) => content_item_id === undefined || module_id === undefined,
    "Input should name an item or a module",
  )
  .meta({ id: "LtiLinkTarget" });

export const LtiLinksCreate = z
  .object({
    ticket: z.string().min(1).max(40_000).meta({
      description: "`deep_linking.ticket` of the launch",
      maxLength: 40_000,
    }),
    links: list(Target, { min: 1, max: 50 }).meta({ description: "The selected targets, in order" }),
  })
  .meta({ id: "LtiLinksCreate" });

export const LtiLinks = z
  .object({
    address: z.string().meta({
      description:
        "Address for the frame: a page that posts the signed links to the LMS, valid for five minutes",
      example: "https://learn.example.edu/lti/1/deep-linking#eyJhbGciOiJkaXIi",
    }),
  })
  .meta({ id: "LtiLinks" });

export type LtiLinks = z.input<typeof LtiLinks>;
export type LtiLinksCreate = z.output<typeof LtiLinksCreate>;
export type LtiLinkTarget = z.output<typeof Target>;
