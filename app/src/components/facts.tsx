import type { ComponentChildren } from "preact";

export type Fact = readonly [label: string, value: ComponentChildren];

/** What is so of a thing, each with its name; what has no value is left out. */
export const Facts = ({ of }: { of: readonly Fact[] }) => (
  <dl class="facts">
    {of
      .filter(([, value]) => value !== undefined)
      .map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);
