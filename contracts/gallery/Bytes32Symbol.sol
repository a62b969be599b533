// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Specimen} from "./Specimen.sol";

/// @title Name and symbol are bytes32, as some of the oldest tokens have them.
contract Bytes32Symbol is Specimen {
    constructor(string memory n, string memory s, uint256 supply) Specimen(n, s, supply) {}

    function name() external pure override returns (string memory) {
        _word("Old Maker");
    }

    function symbol() external pure override returns (string memory) {
        _word("OLDMKR");
    }

    function _word(bytes32 word) private pure {
        assembly {
            mstore(0, word)
            return(0, 32)
        }
    }
}
