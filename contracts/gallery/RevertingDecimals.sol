// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Specimen} from "./Specimen.sol";

/// @title Will not say how many decimals it has.
contract RevertingDecimals is Specimen {
    error NoDecimals();

    constructor(string memory n, string memory s, uint256 supply) Specimen(n, s, supply) {}

    function decimals() public pure override returns (uint8) {
        revert NoDecimals();
    }
}
