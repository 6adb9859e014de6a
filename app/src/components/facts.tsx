import type { ComponentChildren } from "preact";

export type LabelledFact = readonly [label: string, value: ComponentChildren];

export const FactList = ({ of }: { of: readonly LabelledFact[] }) => (
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
