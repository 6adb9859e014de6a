/** Focuses a field when it mounts. The ref callback is stable, so a render does not move the focus. */
export const focusOnMountRef = (field: HTMLElement | null): void => field?.focus();
