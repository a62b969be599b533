export interface Change {
  level: 'patch' | 'minor' | 'major'
  summary: string
}
export function parseChange(file: string, text: string): Change
export function nextVersion(version: string, changes: readonly Pick<Change, 'level'>[]): string
export function withSection(
  changelog: string,
  release: { version: string; date: string; changes: readonly Change[] },
): string
export function withVersion(manifest: Record<string, unknown>, version: string): Record<string, unknown>
