export const STORIES: Readonly<Record<string, string>>
export const STORE_FILES: readonly string[]
export const SLOW_FILES: readonly string[]
export const QUICK_ENV: Readonly<Record<string, string>>
export function isQuick(file: string): boolean
export function isShort(file: string): boolean
