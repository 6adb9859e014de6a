import type { ComponentType } from "preact";
import { Shown, useReading } from "../reading.tsx";

/** A component whose code is loaded when it is first drawn. */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  return function OnDemand(props: Props) {
    const loaded = useReading(async () => ({ Component: await load() }), []);
    return <Shown of={loaded}>{({ Component }) => <Component {...props} />}</Shown>;
  };
}
