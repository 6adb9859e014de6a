import { dataOf } from "learning-platform-client";
import type { ComponentChildren } from "preact";
import { Heading } from "../parts/heading.tsx";
import { TabBar } from "../parts/tab-bar.tsx";
import { to } from "../places.ts";
import { useReading } from "../reading.tsx";
import { api } from "../service.ts";
import { type Text, t } from "../texts.ts";

const parts: [string, Text][] = [
  ["invitations", "invitations"],
  ["imports", "imports"],
  ["terms", "terms"],
  ["tutor", "budget"],
  ["identity-providers", "providers"],
];

type UniversityScreenProps = { university: string; part: string; title: string; children: ComponentChildren };

/** A part of what is administered of a university, and the way to the others. */
export function UniversityScreen({ university, part, title, children }: UniversityScreenProps) {
  const path = { university_id: Number(university) };
  const read = useReading((signal) => dataOf(api.getUniversity({ params: { path }, signal })), [university]);
  const tabs = parts.map(([name, label]) => ({
    part: name,
    href: to("administration", university, name),
    label: t(label),
  }));
  return (
    <>
      <p class="eyebrow">{read.value?.name ?? "…"}</p>
      <Heading title={title} />
      <TabBar tabs={tabs} current={part} />
      {children}
    </>
  );
}
