export const STORIES: Readonly<Record<string, string>>
export const SLOW_FILES: readonly string[]
export function isQuick(file: string): boolean
