export const FILE: string
export function packagesOf(files: readonly string[]): string[]
export function licencesOf(packages: readonly string[]): string
