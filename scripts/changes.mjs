// Changes since the last release: files of .changeset/ in the format of changesets.

const LEVELS = ['patch', 'minor', 'major']

/** Level and text of one change. */
export function parseChange(file, text) {
  const match = /^---\n["']?pit["']?: (patch|minor|major)\n---\n([\s\S]+)$/.exec(text)
  const summary = match?.[2].trim()
  if (!match || !summary)
    throw new Error(
      `${file} is not a change: it needs "pit: patch", "pit: minor" or "pit: major", and a text`,
    )
  return { level: match[1], summary: summary.replace(/\s*\n\s*/g, ' ') }
}

/** The version after these changes. Before 1.0 a breaking change is a minor one. */
export function nextVersion(version, changes) {
  const [major, minor, patch] = version.split('.').map(Number)
  const level = LEVELS[Math.max(...changes.map((change) => LEVELS.indexOf(change.level)))]
  if (level === 'patch') return `${major}.${minor}.${patch + 1}`
  if (level === 'minor' || major === 0) return `${major}.${minor + 1}.0`
  return `${major + 1}.0.0`
}

/** The changelog with a new section on top. It takes the lines of a section that is marked as unreleased. */
export function withSection(changelog, { version, date, changes }) {
  const lines = changes.map(({ summary }) => `- ${summary}`).join('\n')
  const section = `# Changelog\n\n## ${version} (${date})\n${lines}\n`
  const unreleased = /^# Changelog\n\n## \S+ \(unreleased\)\n/
  if (unreleased.test(changelog)) return changelog.replace(unreleased, () => section)
  return changelog.replace(/^# Changelog\n\n/, () => `${section}\n`)
}

/** A package's manifest at the new version, with the packages of the workspace that it uses. */
export function withVersion(manifest, version) {
  const own = (dependencies) =>
    Object.fromEntries(
      Object.entries(dependencies).map(([name, range]) => [name, name.startsWith('@pit/') ? version : range]),
    )
  return Object.fromEntries(
    Object.entries(manifest).map(([field, value]) => {
      if (field === 'version') return [field, version]
      return [field, /dependencies$/i.test(field) ? own(value) : value]
    }),
  )
}
