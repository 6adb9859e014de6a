import { useEffect, useState } from "preact/hooks";

/** Debounces a value that changes with every key. */
export function useDebouncedValue<Value>(value: Value, ms = 400): Value {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
