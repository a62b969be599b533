export { readSwitches, SWITCHES, type SwitchName, type SwitchRow, writeSwitch } from './store.ts'
export { createSwitches, type Switches, standing } from './switches.ts'
