import type { ComponentType, VNode } from "preact";
import { QueryBoundary, useQuery } from "../query.tsx";
import { type LazyTextGroup, loadTextGroup } from "../texts.ts";

/** A component whose code and texts load on first render. */
export function lazyComponentWithTexts<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  ...further: LazyTextGroup[]
): (props: Props) => VNode {
  return function OnDemand(props: Props) {
    const loaded = useQuery(async () => {
      const words = (["later", ...further] as const).map(loadTextGroup);
      const [Component] = await Promise.all([load(), ...words]);
      return { Component };
    }, []);
    return <QueryBoundary of={loaded}>{({ Component }) => <Component {...props} />}</QueryBoundary>;
  };
}
