export { keepFilesPrivate, ownDataDir, ownFolder, readOwnFile } from './ownFiles.ts'
export { ProfileError, readProfile } from './readProfile.ts'
export {
  readSecretText,
  type SecretSetting,
  secretFile,
  secretSetting,
  withSecretsRead,
} from './secretSettings.ts'
export { type Setting, settingsReader } from './settingsReader.ts'
export { StartRefused } from './startRefused.ts'
