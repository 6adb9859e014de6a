/** For a field that has been asked for: the same function at each drawing, so that one that is drawn anew takes no focus. */
export const focusAtOnce = (field: HTMLElement | null): void => field?.focus();
