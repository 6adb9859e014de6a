import * as z from "zod";
import { Id } from "../platform/fields.ts";

const hex = z.string().meta({ example: "#7a1f3d" });

const Shades = z.object({
  accent: hex.meta({
    description: "Of links, buttons and edges: 4.5 : 1 and more against every ground of the theme",
  }),
  soft: hex.meta({
    example: "#f2e9ec",
    description: "Behind text: the theme's own, and the accent, keep 4.5 : 1 on it",
  }),
});

/** A university's branding: name, logo, and its color adapted to each theme. */
export const looks = {
  logo_url: z.string().nullable().meta({
    example: null,
    description: "Where its logo is read, without a token; another one with another logo",
  }),
  shades: z
    .object({
      light: Shades.meta({ description: "Of the light theme" }),
      dark: Shades.meta({ description: "Of the dark theme" }),
    })
    .nullable()
    .meta({
      description: "Worked out from its color for a light and a dark theme; null: the platform's own",
    }),
};

export const UniversityLogo = z.object({ logo_url: looks.logo_url }).meta({ id: "UniversityLogo" });

export const UniversityLooks = z
  .object({ university_id: Id, name: z.string(), ...looks })
  .meta({ id: "UniversityLooks" });

export type UniversityLogo = z.input<typeof UniversityLogo>;
export type UniversityLooks = z.input<typeof UniversityLooks>;
