import { StartRefused } from './startRefused.ts'

export interface Setting {
  default: string
  means: string
  /** Meaning of an empty value, if it is not the default. Otherwise empty means not set. */
  whenEmpty?: string
}

/** Parses a process's settings by their table; an invalid value stops the start and names the setting. */
export function settingsReader<Name extends string>(
  table: Readonly<Record<Name, Setting>>,
  env: Record<string, string | undefined>,
) {
  const isSet = (name: Name): boolean => {
    const value = env[name]?.trim()
    return value !== undefined && (value !== '' || table[name].whenEmpty !== undefined)
  }
  const text = (name: Name): string => (isSet(name) ? env[name]!.trim() : table[name].default)
  const refuse = (name: Name, use: string): never => {
    throw new StartRefused(`${name} is "${text(name)}": ${use}`)
  }
  return {
    isSet,
    text,
    optional: (name: Name): string | null => text(name) || null,
    flag(name: Name): boolean {
      const value = text(name).toLowerCase()
      if (['1', 'true', 'yes'].includes(value)) return true
      return ['', '0', 'false', 'no'].includes(value) ? false : refuse(name, 'use 1 or 0')
    },
    number(name: Name, least = 0, most = Number.POSITIVE_INFINITY): number {
      const value = Number(text(name))
      if (text(name) !== '' && Number.isFinite(value) && value >= least && value <= most) return value
      const range = most === Number.POSITIVE_INFINITY ? `of at least ${least}` : `from ${least} to ${most}`
      return refuse(name, `use a number ${range}`)
    },
    whole(name: Name, least: number, most: number): number {
      const value = Number(text(name))
      const isValid = text(name) !== '' && Number.isInteger(value) && value >= least && value <= most
      return isValid ? value : refuse(name, `use a whole number from ${least} to ${most}`)
    },
    oneOf<const T extends string>(name: Name, ...values: readonly T[]): T {
      return values.find((value) => value === text(name)) ?? refuse(name, `use one of ${values.join(', ')}`)
    },
    list: (name: Name): string[] =>
      text(name)
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
  }
}
