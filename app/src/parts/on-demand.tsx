import type { ComponentType, VNode } from "preact";
import { Shown, useReading } from "../reading.tsx";
import { readLaterTexts } from "../texts.ts";

/** A component whose code, and whose words, are loaded when it is first drawn. */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => VNode {
  return function OnDemand(props: Props) {
    const loaded = useReading(async () => {
      const [Component] = await Promise.all([load(), readLaterTexts()]);
      return { Component };
    }, []);
    return <Shown of={loaded}>{({ Component }) => <Component {...props} />}</Shown>;
  };
}
