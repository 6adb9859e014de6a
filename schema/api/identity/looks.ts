import * as z from "zod";
import { Id } from "../platform/fields.ts";

const hex = z.string().meta({ example: "#7a1f3d" });

const Shades = z.object({
  accent: hex.meta({
    description:
      "For links, buttons and edges. Contrast at least 4.5:1 against every background of the theme",
  }),
  soft: hex.meta({
    example: "#f2e9ec",
    description:
      "Background behind text: the theme's text and the accent have a contrast of at least 4.5:1 on it",
  }),
});

/** A university's branding: name, logo, and its color adapted to each theme. */
export const looks = {
  logo_url: z.string().nullable().meta({
    example: null,
    description: "Address of the logo, readable without a token. Changes with the logo",
  }),
  shades: z
    .object({
      light: Shades.meta({ description: "Colors of the light theme" }),
      dark: Shades.meta({ description: "Colors of the dark theme" }),
    })
    .nullable()
    .meta({
      description:
        "Colors for a light and a dark theme, computed from the university's color; null for the platform's " +
        "colors",
    }),
};

export const UniversityLogo = z.object({ logo_url: looks.logo_url }).meta({ id: "UniversityLogo" });

export const UniversityLooks = z
  .object({ university_id: Id, name: z.string(), ...looks })
  .meta({ id: "UniversityLooks" });

export type UniversityLogo = z.input<typeof UniversityLogo>;
export type UniversityLooks = z.input<typeof UniversityLooks>;
