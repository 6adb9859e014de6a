import { dataOf, type Schemas } from "learning-platform-client";
import type { ComponentChildren } from "preact";
import { Heading } from "../components/heading.tsx";
import { BackToOfferingLink } from "../components/offering-screen.tsx";
import { TabBar } from "../components/tab-bar.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { type TextKey, t } from "../texts.ts";

export type VersionProps = { name: string; version: string };

const parts: [string, TextKey][] = [
  ["", "version.text"],
  ["try", "version.try"],
  ["trials", "trials"],
  ["write", "version.write"],
];

type VersionScreenProps = VersionProps & {
  part: string;
  children: (version: Schemas["ResolvedPrompt"]) => ComponentChildren;
};

export function VersionScreen({ name, version, part, children }: VersionScreenProps) {
  const query = useQuery(
    (signal) =>
      dataOf(
        apiClient.getPrompt({
          params: { path: { prompt_name: name }, query: { version: Number(version) } },
          signal,
        }),
      ),
    [name, version],
  );
  const tabs = parts.map(([path, label]) => ({
    part: path,
    href: screenHref("prompts", name, "versions", version, ...(path ? [path] : [])),
    label: t(label),
  }));
  return (
    <>
      <BackToOfferingLink route={["prompts", name]}>{name}</BackToOfferingLink>
      <Heading title={t("version.of", { name, version })} />
      <TabBar tabs={tabs} current={part} />
      <QueryBoundary of={query}>{(found) => <div class="prompt">{children(found)}</div>}</QueryBoundary>
    </>
  );
}

export const versionPath = ({ name, version }: VersionProps) => ({
  prompt_name: name,
  version: Number(version),
});
