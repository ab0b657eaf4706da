// The parts of a report that more than one file of the page uses.
// SPDX-License-Identifier: BSD-3-Clause
import { Report } from "./results";

export type { Report };
export type Cause = Report["causes"][number];
export type Wait = Report["waits"][number];
export type WaitedFor = NonNullable<Cause["waited_for"]>;
export type Efficiency = Report["efficiency"];
