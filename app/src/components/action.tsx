import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { explain } from "../query.tsx";
import { Button } from "./button.tsx";

type ActionProps = {
  run: () => Promise<unknown>;
  class?: string;
  pressed?: boolean;
  label?: string;
  disabled?: boolean;
  children: ComponentChildren;
};

/** A button whose deed the service may refuse: it waits for the answer, and says why when it failed. */
export function Action({ run, class: kind = "", pressed, label, disabled = false, children }: ActionProps) {
  const [state, setState] = useState<{ isRunning: boolean; fault?: string }>({ isRunning: false });
  const start = async () => {
    if (state.isRunning) return;
    setState({ isRunning: true });
    try {
      await run();
      setState({ isRunning: false });
    } catch (error) {
      setState({ isRunning: false, fault: explain(error) });
    }
  };
  return (
    <span class="action">
      <Button
        class={kind}
        onClick={start}
        disabled={disabled}
        aria-busy={state.isRunning}
        aria-pressed={pressed}
        aria-label={label}
        title={label}
      >
        {children}
      </Button>
      {state.fault && (
        <span class="fault" role="alert">
          {state.fault}
        </span>
      )}
    </span>
  );
}
