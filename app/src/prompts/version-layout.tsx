import { dataOf, type Schemas } from "learning-platform-client";
import type { ComponentChildren } from "preact";
import { ScreenHeading } from "../components/heading.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { TabBar } from "../components/tab-bar.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { type TextKey, t } from "../texts.ts";

export type PromptVersionRouteProps = { name: string; version: string };

const parts: [string, TextKey][] = [
  ["", "version.text"],
  ["try", "version.try"],
  ["trials", "trials"],
  ["write", "version.write"],
];

type VersionScreenProps = PromptVersionRouteProps & {
  part: string;
  children: (version: Schemas["ResolvedPrompt"]) => ComponentChildren;
};

export function PromptVersionLayout({ name, version, part, children }: VersionScreenProps) {
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
      <BackLink route={["prompts", name]}>{name}</BackLink>
      <ScreenHeading title={t("version.of", { name, version })} />
      <TabBar tabs={tabs} current={part} />
      <QueryBoundary of={query}>{(found) => <div class="prompt">{children(found)}</div>}</QueryBoundary>
    </>
  );
}

export const promptVersionPathParams = ({ name, version }: PromptVersionRouteProps) => ({
  prompt_name: name,
  version: Number(version),
});
