import type { CourseLevel, PrerequisiteType } from "../../../schema/enums.ts";
import { type DemoAccount, peopleOfEstrecho, peopleOfNorthgate } from "./accounts.ts";
import type { SeedModule } from "./content.ts";
import { physics } from "./physics.ts";
import { programming } from "./programming.ts";
import { signalProcessing, signals } from "./signals.ts";

export type SeedCourse = {
  code: string;
  title: string;
  description: string;
  level: Uppercase<CourseLevel>;
  language?: string;
  creditHours: number;
  department?: string;
  /** The code of its primary subject. */
  subject: string;
  prerequisites: readonly { code: string; type: Uppercase<PrerequisiteType> }[];
  modules: readonly SeedModule[];
};

export type SeedUniversity = {
  name: string;
  shortCode: string;
  country: string;
  timeZone: string;
  website: string;
  departments: readonly { code: string; name: string }[];
  people: readonly DemoAccount[];
  courses: readonly SeedCourse[];
};

export const domains = [
  { code: "engineering", name: "Engineering" },
  { code: "science", name: "Natural sciences" },
];

export const subjects = [
  { code: "programming", name: "Programming", domain: "engineering" },
  { code: "signals", name: "Signals and systems", domain: "engineering" },
  { code: "mechanics", name: "Mechanics", domain: "science" },
];

export const universities: readonly SeedUniversity[] = [
  {
    name: "Northgate University",
    shortCode: "NGU",
    country: "GB",
    timeZone: "Europe/London",
    website: "https://northgate.example",
    departments: [
      { code: "EE", name: "Electrical Engineering" },
      { code: "CS", name: "Computer Science" },
    ],
    people: peopleOfNorthgate,
    courses: [programming, signals, signalProcessing],
  },
  {
    name: "Universidad del Estrecho",
    shortCode: "UDE",
    country: "ES",
    timeZone: "Europe/Madrid",
    website: "https://estrecho.example",
    departments: [],
    people: peopleOfEstrecho,
    courses: [physics],
  },
];
