import { dataOf, type Schemas } from "learning-platform-client";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";

export type SetupStep = {
  step: "looks" | "departments" | "terms" | "people" | "provider" | "llm" | "courses";
  isDone: boolean;
  href: string;
};

/** The steps that make a new university usable, in a sensible order. */
export async function fetchUniversitySetupSteps(
  university: Schemas["University"],
  signal: AbortSignal,
): Promise<SetupStep[]> {
  const university_id = university.id;
  const path = { university_id };
  const first = { limit: 1 };
  const [departments, terms, people, providers, llm, courses] = await Promise.all([
    dataOf(apiClient.listUniversityDepartments({ params: { path, query: first }, signal })),
    dataOf(apiClient.listUniversityTerms({ params: { path, query: first }, signal })),
    // The administrator is one of them.
    dataOf(apiClient.listUsers({ params: { query: { university_id, limit: 2 } }, signal })),
    dataOf(apiClient.listUniversityProviders({ params: { path }, signal })),
    dataOf(apiClient.getCloudCredentialsStatus({ params: { query: { university_id } }, signal })),
    dataOf(apiClient.listCourses({ params: { query: { university_id, ...first } }, signal })),
  ]);
  const hrefOf = (part: string) => screenHref("administration", university_id, part);
  return [
    { step: "looks", isDone: Boolean(university.color ?? university.logo_url), href: hrefOf("settings") },
    { step: "departments", isDone: departments.length > 0, href: hrefOf("departments") },
    { step: "terms", isDone: terms.length > 0, href: hrefOf("terms") },
    { step: "people", isDone: people.length > 1, href: hrefOf("imports") },
    { step: "provider", isDone: providers.length > 0, href: hrefOf("identity-providers") },
    { step: "llm", isDone: llm.configured, href: hrefOf("credentials") },
    { step: "courses", isDone: courses.length > 0, href: screenHref("authoring", "new") },
  ];
}
