import { dataOf, type Schemas } from "learning-platform-client";
import { useLayoutEffect } from "preact/hooks";
import { useQuery } from "./query.tsx";
import { apiClient } from "./service.ts";
import { useSession } from "./session.tsx";

export type UniversityBranding = Pick<Schemas["UniversityLooks"], "name" | "logo_url" | "shades">;

/** The university in the link, `/app?university=7`. 0 if absent. */
export const universityIdInLink = Number(new URLSearchParams(location.search).get("university")) || 0;

/** The user's university's branding. Before sign-in, that of the link's university. */
export function useAppliedUniversityBranding(): UniversityBranding | undefined {
  const { isSignedIn, person } = useSession();
  const linked = useQuery(
    async (signal) => (universityIdInLink > 0 && !isSignedIn ? readLooks(signal) : undefined),
    [isSignedIn],
  );
  const looks = isSignedIn ? (person.value?.profile.looks ?? undefined) : linked.value;
  useLayoutEffect(() => paint(looks?.shades), [looks]);
  return looks;
}

async function readLooks(signal: AbortSignal): Promise<UniversityBranding> {
  const path = { university_id: universityIdInLink };
  const found = await dataOf(apiClient.getUniversity({ params: { path }, signal }));
  return { ...found, name: found.display_name ?? found.name };
}

/** Sets only colors, which the service has computed. */
function paint(shades: UniversityBranding["shades"] | undefined): void {
  const { style } = document.documentElement;
  const set = (name: string, part: "accent" | "soft") =>
    style.setProperty(name, shades ? `light-dark(${shades.light[part]}, ${shades.dark[part]})` : "");
  set("--accent", "accent");
  set("--accent-soft", "soft");
}
