export interface Finding {
  rule: string
  file: string
  line: number
  words: string
  instead: string
}
/** Every finding in one file. */
export function findPhrases(file: string, text: string): Finding[]
/** The count of each rule beside the allowed one. */
export function countByRule(
  findings: readonly Finding[],
  budget: Record<string, number>,
): { rule: string; count: number; allowed: number }[]
